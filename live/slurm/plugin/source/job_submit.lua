-- The door of Libra's partitions, for slurmctld (JobSubmitPlugins=lua).
--
-- A job in one of these partitions starts when Libra has accepted it, at a price and
-- by a deadline, and not otherwise. So this file sees to it that
--
--   * a job that did not come through Libra is refused, with a word on what to do,
--     or held for good, as the site chooses; or held until the market has told it its
--     price and its user, by its comment, what it may cost (see docs/slurm.md);
--   * a job that did is held until root releases it, which Libra does;
--   * nobody but root changes a job of these partitions, or moves one into them,
--     be it by a reservation of theirs or through a drained partition.
--
-- Other partitions are left alone.
--
-- How a job is known to have come through Libra: either root submitted it for its
-- user (sbatch --uid), or it carries a seal in its environment: SipHash-2-4 of user,
-- partition and comment, by a key that only slurmctld and Libra can read. A user may
-- see the seal of an own job. It is of no use: it fits the same user and the same
-- comment only, and what it opens the door to is a job that is held.

-- settings: a table of partition names, a file, and whether to hold or to refuse
local PARTITIONS = { ["libra"] = true }
local KEY_FILE = "/etc/slurm/libra-door.key"
local HOLD = false
local OFFER = false
-- end of settings

local SEAL = "LIBRA_SEAL"
local TERMS = "LIBRA_TERMS"
local WAITS = "libra: waits for its price"
local ADVICE = "libra: jobs of partition %s are bought: submit with 'libra sbatch script.sh'"

-- ---------------------------------------------------------------------------
-- SipHash-2-4 (Aumasson, Bernstein 2012) for Lua 5.1 and newer: slurmctld's Lua has no
-- library for seals, and in many builds it is 5.1, without whole numbers of 64 bits
-- and without operators on bits. A seal by HMAC-SHA256 takes such a Lua longer than
-- slurmctld takes for all the rest of a submission; this one is made for short texts.
-- A word of 64 bits is two numbers of 32, high and low.

local floor, byte, char, rep, format = math.floor, string.byte, string.char, string.rep, string.format
local TWO32 = 4294967296

-- The exclusive or of two words of 32 bits. The operator of newer versions is a syntax
-- error in older ones, so it is compiled apart; without it, bytes are looked up.
local xor
do
   local native = (loadstring or load)("return function(a, b) return a ~ b end")
   if native then
      xor = native()
   else
      local X = {}
      for a = 0, 255 do
         for b = 0, 255 do
            local r, bit, p, q = 0, 1, a, b
            for _ = 1, 8 do
               local u, v = p % 2, q % 2
               if u ~= v then r = r + bit end
               p, q, bit = (p - u) / 2, (q - v) / 2, bit * 2
            end
            X[a * 256 + b] = r
         end
      end
      xor = function(a, b)
         local a0, b0 = a % 256, b % 256
         a, b = (a - a0) / 256, (b - b0) / 256
         local a1, b1 = a % 256, b % 256
         a, b = (a - a1) / 256, (b - b1) / 256
         local a2, b2 = a % 256, b % 256
         return X[a0 * 256 + b0] + X[a1 * 256 + b1] * 256 + X[a2 * 256 + b2] * 65536
            + X[(a - a2) + (b - b2) / 256] * 16777216
      end
   end
end

-- the sum of two words
local function add(ah, al, bh, bl)
   local l = al + bl
   if l >= TWO32 then return (ah + bh + 1) % TWO32, l - TWO32 end
   return (ah + bh) % TWO32, l
end

-- word a turned left by n bits, then the exclusive or with word b; up is 2^n
local function turn(ah, al, up, bh, bl)
   local down = TWO32 / up
   local lowh, lowl = ah % down, al % down
   return xor(lowh * up + (al - lowl) / down, bh), xor(lowl * up + (ah - lowh) / down, bl)
end

-- the state v of four words after some rounds
local function rounds(v, n)
   local ah, al, bh, bl, ch, cl, dh, dl = v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]
   for _ = 1, n do
      ah, al = add(ah, al, bh, bl)
      bh, bl = turn(bh, bl, 8192, ah, al)
      ch, cl = add(ch, cl, dh, dl)
      dh, dl = turn(dh, dl, 65536, ch, cl)
      ah, al = add(al, ah, dh, dl) -- a is turned by half, before the sum
      dh, dl = turn(dh, dl, 2097152, ah, al)
      ch, cl = add(ch, cl, bh, bl)
      bh, bl = turn(bh, bl, 131072, ch, cl)
      ch, cl = cl, ch
   end
   v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8] = ah, al, bh, bl, ch, cl, dh, dl
end

-- the word of 8 bytes at i of a text, the lowest first
local function word(text, i)
   local a, b, c, d, e, f, g, h = byte(text, i, i + 7)
   return ((h * 256 + g) * 256 + f) * 256 + e, ((d * 256 + c) * 256 + b) * 256 + a
end

-- the seal of a text by a key of 16 bytes, as 16 digits
local function siphash(key, text)
   local kh, kl = word(key, 1)
   local mh, ml = word(key, 9)
   local v = {
      xor(kh, 0x736f6d65), xor(kl, 0x70736575), xor(mh, 0x646f7261), xor(ml, 0x6e646f6d),
      xor(kh, 0x6c796765), xor(kl, 0x6e657261), xor(mh, 0x74656462), xor(ml, 0x79746573),
   }
   text = text .. rep("\0", 7 - #text % 8) .. char(#text % 256)
   for i = 1, #text, 8 do
      local wh, wl = word(text, i)
      v[7], v[8] = xor(v[7], wh), xor(v[8], wl)
      rounds(v, 2)
      v[1], v[2] = xor(v[1], wh), xor(v[2], wl)
   end
   v[6] = xor(v[6], 255)
   rounds(v, 4)
   local high = xor(xor(v[1], v[3]), xor(v[5], v[7]))
   local low = xor(xor(v[2], v[4]), xor(v[6], v[8]))
   return format("%04x%04x%04x%04x", floor(high / 65536), floor(high % 65536), floor(low / 65536), floor(low % 65536))
end

-- A Lua that counts differently must not open the door: the example of the paper.
local SOUND = siphash("\0\1\2\3\4\5\6\7\8\9\10\11\12\13\14\15", "\0\1\2\3\4\5\6\7\8\9\10\11\12\13\14")
   == "a129ca6149be45e5"

-- ---------------------------------------------------------------------------

-- The key is 32 digits, the first word of its file. It is read each time: a new one
-- counts at once.
local function read_key()
   local file = io.open(KEY_FILE, "r")
   if not file then return nil end
   local digits = (file:read(256) or ""):match("^%s*(%x+)%s*$")
   file:close()
   if not digits or #digits ~= 32 then return nil end
   return (digits:gsub("%x%x", function(d) return char(tonumber(d, 16)) end))
end

-- Compares all of both, however early they differ.
local function same(a, b)
   if #a ~= #b then return false end
   local differ = 0
   for i = 1, #a do
      if byte(a, i) ~= byte(b, i) then differ = differ + 1 end
   end
   return differ == 0
end

-- Which of Libra's partitions a job lands in that names a partition: that one, or
-- where one that takes no jobs sends them (Alternate, while it is drained or inactive).
local function leads(name, part_list)
   for _ = 1, 16 do -- a circle of alternates ends somewhere
      if PARTITIONS[name] then return name end
      local part = part_list and part_list[name]
      if not part or (part.state_up or 0) % 2 == 1 then return nil end -- unknown, or it takes jobs itself
      name = part.alternate
      if name == nil or name == "" then return nil end
   end
   return nil
end

-- Which of Libra's partitions reservations are of, and whether they decide at all:
-- slurmctld takes the partition of a job that names none from its one reservation,
-- if that has one. A Lua that is not told of reservations must not guess.
local function reserved(list, part_list)
   local all, count, decided = slurm.reservations, 0, false
   for name in list:gmatch("[^,]+") do
      if all == nil then return next(PARTITIONS), true end
      local resv = all[name]
      local partition = resv and resv.partition
      count = count + 1
      if partition and partition ~= "" then
         local found = leads(partition, part_list)
         if found then return found, true end
         decided = true
      end
   end
   return nil, decided and count == 1
end

-- Which of Libra's partitions a job would be in, by the partitions and reservations
-- that it names. One that names none is for the default partition.
local function ours(list, reservation, part_list)
   if list ~= nil and list ~= "" then
      for name in list:gmatch("[^,]+") do
         local found = leads(name, part_list)
         if found then return found end
      end
      return nil
   end
   if reservation ~= nil and reservation ~= "" then
      local found, decided = reserved(reservation, part_list)
      if decided then return found end
   end
   for name, part in pairs(part_list or {}) do
      if part.flag_default == 1 then
         local found = leads(name, part_list)
         if found then return found end
      end
   end
   return nil
end

local function sealed(job, partition)
   if job.script == nil or job.partition ~= partition then return false end -- no batch job, or several partitions
   local seal = job.environment and job.environment[SEAL]
   local user = job.user_name
   if type(seal) ~= "string" or seal == "" or type(user) ~= "string" then return false end
   local key = SOUND and read_key()
   if not key then
      slurm.log_error("libra: %s", SOUND and "no key of 32 digits in " .. KEY_FILE or "this Lua cannot compute seals")
      return false
   end
   return same(seal, siphash(key, user .. "\n" .. partition .. "\n" .. (job.comment or "")))
end

-- Held until root lets go of it, and run at most once: a user's "scontrol requeue" is
-- not shown to slurm_job_modify, and would run a job a second time. Of one that the market
-- hands in it says itself whether its user may: the script of such a job begins a second
-- time only if the market has noted that it may.
local function hold(job, bought)
   job.priority = 0
   if not (bought and job.requeue == 1) then job.requeue = 0 end
end

function slurm_job_submit(job, part_list, submit_uid)
   local partition = ours(job.partition, job.reservation, part_list)
   if partition == nil then return slurm.SUCCESS end
   if submit_uid == 0 then
      if job.priority == 0 then hold(job, true) end -- what root does not hold is root's wish
      return slurm.SUCCESS
   end
   if sealed(job, partition) then
      hold(job, true)
      return slurm.SUCCESS
   end
   if OFFER and job.script ~= nil then
      hold(job)
      job.admin_comment = WAITS
      local terms = job.environment and job.environment[TERMS]
      if (job.comment or ""):sub(1, 6) ~= "libra:" and type(terms) == "string" and terms ~= "" then
         job.comment = "libra:" .. terms
      end
      slurm.log_user("libra: the job is held until its price is known and taken: squeue -O JobID,admin_comment says it; --comment libra:budget=AMOUNT takes it")
      return slurm.SUCCESS
   end
   if HOLD then
      hold(job)
      job.admin_comment = "libra: not bought"
      slurm.log_user(ADVICE .. "; this one is held", partition)
      return slurm.SUCCESS
   end
   slurm.log_user(ADVICE, partition)
   return slurm.ESLURM_ACCESS_DENIED
end

-- What a change of a job may not touch beside its comment: a price is for what Slurm had
-- understood of it when it was asked for. Of the second list nothing is 0, of the first
-- that would be something.
local TERMS_OF_JOB = {
   "account", "burst_buffer", "contiguous", "core_spec", "cores_per_socket", "cpus_per_task", "cpus_per_tres", "delay_boot", "dependency",
   "exc_nodes", "features", "gres", "licenses", "max_cpus", "max_nodes", "mem_per_tres", "min_cpus", "min_mem_per_cpu", "min_mem_per_node",
   "min_nodes", "name", "network", "nice", "ntasks_per_core", "ntasks_per_node", "ntasks_per_socket", "ntasks_per_tres", "num_tasks",
   "partition", "pn_min_cpus", "pn_min_memory", "pn_min_tmp_disk", "prefer", "priority", "qos", "reboot", "req_nodes", "req_switch", "requeue",
   "reservation", "shared", "sockets_per_node", "std_err", "std_in", "std_out", "threads_per_core", "time_limit", "time_min", "tres_per_job",
   "tres_per_node", "tres_per_socket", "tres_per_task", "wait4switch", "wckey", "work_dir",
}
local TIMES_OF_JOB = { "begin_time", "deadline" }

-- How Slurm writes that a change does not say something, by the size of the number.
local UNSAID = { [""] = true, [65534] = true, [4294967294] = true, [2 ^ 64 - 2] = true }
for _, name in ipairs({ "NO_VAL", "NO_VAL16", "NO_VAL64" }) do
   if slurm[name] ~= nil then UNSAID[slurm[name]] = true end
end

local function untouched(job, fields, zero)
   for _, field in ipairs(fields) do
      local value = job[field]
      if value ~= nil and not UNSAID[value] and value ~= zero then return false end
   end
   return true
end

-- A user may say by the comment what a job may cost that is held until then, and change
-- nothing else. When it is bought its comment is the market's.
local function takes_offer(job, record)
   return OFFER and job.comment ~= nil and untouched(job, TERMS_OF_JOB, nil) and untouched(job, TIMES_OF_JOB, 0)
      and record.priority == 0 and (record.admin_comment or ""):sub(1, 7) == "libra: "
      and not (record.comment or ""):match("^libra:%w+:%d+%.%d+:")
end

function slurm_job_modify(job, record, part_list, modify_uid)
   if modify_uid == 0 then return slurm.SUCCESS end
   if takes_offer(job, record) then return slurm.SUCCESS end
   if ours(record.partition or "", nil, part_list)
      or (job.partition and ours(job.partition, job.reservation or record.resv_name, part_list))
      or (job.reservation and reserved(job.reservation, part_list)) then
      slurm.log_info("libra: user %s may not change a job of Libra's partitions", tostring(modify_uid))
      return slurm.ESLURM_ACCESS_DENIED
   end
   return slurm.SUCCESS
end

return slurm.SUCCESS
