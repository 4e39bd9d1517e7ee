/*
 * libra_spank: where the tasks of a Slurm job get their share of a node.
 *
 * The Libra agent of a node makes a control group for a job before the job is let
 * go, and gives it a quota. This plugin moves every task of the job into that group
 * right before the task's program starts, so that the quota holds from its first
 * instruction and the group counts all of its processor time.
 *
 *   cgroup v1:  ROOT/cpu/TREE/NODE/slurm_JOB  and  ROOT/cpuacct/TREE/NODE/slurm_JOB
 *   cgroup v2:  ROOT/TREE/NODE/slurm_JOB
 *
 * JOB is the number of the job; for elements of an array, which are in one group, that
 * of the array.
 *
 * A job for which there is no such group is none of Libra's and is left alone. The
 * plugin never makes a group and never fails a job: what it could not do is a line
 * in the log of slurmd, and the agent finds the job's processes another way.
 *
 * It also tells srun in a job of Libra's what Slurm itself does not know of the job:
 * on which nodes its tasks are, where they are not as many on each, and that steps of
 * elements of an array run side by side. The job's script says so in LIBRA_STEP_
 * variables; srun is told in Slurm's own words, which its tasks do not get to see.
 *
 * build:           gcc -shared -fPIC -O2 -o libra_spank.so libra_spank.c
 * plugstack.conf:  optional /usr/local/lib/slurm/libra_spank.so [root=/sys/fs/cgroup] [tree=libra]
 */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <slurm/spank.h>

SPANK_PLUGIN(libra, 1);

struct place {
	const char *root;
	const char *tree;
	const char *node;
	uint32_t job;
};

/* enter moves this process into the job's group below a hierarchy: "/cpu" and the
 * like in v1, nothing in v2. No group there means that the job is not Libra's: then it
 * says 0. */
static int enter(const struct place *at, const char *hierarchy)
{
	char path[PATH_MAX];
	int fd, n;

	n = snprintf(path, sizeof path, "%s%s/%s/%s/slurm_%u/cgroup.procs",
		     at->root, hierarchy, at->tree, at->node, at->job);
	if (n < 0 || (size_t)n >= sizeof path)
		return 0;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			slurm_error("libra: open %s: %s", path, strerror(errno));
		return 0;
	}
	/* 0 is whoever writes it, in every version of the kernel's groups */
	if (write(fd, "0", 1) != 1)
		slurm_error("libra: enter %s: %s", path, strerror(errno));
	close(fd);
	return 1;
}

static int is_v2(const char *root)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/cgroup.controllers", root);

	return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

/* settle does so in all hierarchies. */
static int settle(const struct place *at)
{
	int found;

	if (is_v2(at->root))
		return enter(at, "");
	found = enter(at, "/cpu");
	return enter(at, "/cpuacct") || found;
}

/* find says where the group of the step's job is, and the number of the array that the job
 * is of; 0: of none. It says 0 itself if that cannot be said. */
static int find(spank_t sp, int ac, char **av, struct place *at, uint32_t *array)
{
	static char host[HOST_NAME_MAX + 1];
	int i;

	*at = (struct place){ "/sys/fs/cgroup", "libra", NULL, 0 };
	for (i = 0; i < ac; i++) {
		if (strncmp(av[i], "root=", 5) == 0)
			at->root = av[i] + 5;
		else if (strncmp(av[i], "tree=", 5) == 0)
			at->tree = av[i] + 5;
		else
			slurm_error("libra: plugstack.conf: %s is none of root= tree=", av[i]);
	}
	if (spank_get_item(sp, S_JOB_ID, &at->job) != ESPANK_SUCCESS)
		return 0;
	if (spank_get_item(sp, S_JOB_ARRAY_ID, array) != ESPANK_SUCCESS)
		*array = 0;
	/* Of slurmstepd's own environment: the job's does not have it yet. */
	at->node = getenv("SLURMD_NODENAME");
	if (at->node == NULL || at->node[0] == '\0') {
		if (gethostname(host, sizeof host - 1) != 0)
			return 0;
		host[strcspn(host, ".")] = '\0';
		at->node = host;
	}
	return 1;
}

/* join moves this process into the group of its job, or of the array that it is of. */
static void join(struct place at, uint32_t array)
{
	if (!settle(&at) && array != 0) {
		at.job = array;
		settle(&at);
	}
}

/* Slurm calls this in every task of every step, the batch script included, as root
 * and right before it becomes the user and executes the program. */
int slurm_spank_task_init_privileged(spank_t sp, int ac, char **av)
{
	struct place at;
	uint32_t array;

	if (find(sp, ac, av, &at, &array))
		join(at, array);
	return 0;
}

/* What Slurm runs after a task, as srun --task-epilog has it do, is no task: the process
 * that looks after the step begins it, and it would have the whole node for as long as the
 * agent takes to find it. So what that process begins is in the job's group once the tasks
 * are there; it itself stays where it is. */
static struct {
	struct place at;
	uint32_t array;
	int known;
} after;

static void child(void)
{
	join(after.at, after.array);
}

#ifdef __GLIBC__
/* pthread_atfork without -lpthread, which older releases want for it alone. */
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
extern void *__dso_handle __attribute__((visibility("hidden")));
#define at_fork(f) __register_atfork(NULL, NULL, f, __dso_handle)
#else
#define at_fork(f) pthread_atfork(NULL, NULL, f)
#endif

/* Slurm calls this in that process, as root, for every task that it has begun. */
int slurm_spank_task_post_fork(spank_t sp, int ac, char **av)
{
	if (!after.known && find(sp, ac, av, &after.at, &after.array))
		after.known = at_fork(child) == 0;
	return 0;
}

/* What srun can be told, in its own variables: each is what the script of a job says
 * in one that begins with LIBRA_STEP_ instead. */
static const char *const words[] = { "HOSTFILE", "DISTRIBUTION", "OVERLAP", "OVERCOMMIT" };
#define WORDS (sizeof words / sizeof words[0])
#define LONGEST 64 /* name of a variable */

static void name_of(char *to, const char *begin, const char *word)
{
	snprintf(to, LONGEST, "%s%s", begin, word);
}

/* Options of srun that have no value, or one after an equals sign alone: after every
 * other long option the next word is its value. */
static const char *const bare[] = {
	"contiguous", "disable-status", "exact", "exclusive", "external", "help", "hold", "immediate",
	"interactive", "kill-on-bad-exit", "label", "multi-prog", "nice", "no-allocate", "no-kill",
	"overcommit", "overlap", "oversubscribe", "preserve-env", "propagate", "pty", "quiet",
	"quit-on-interrupt", "reboot", "resv-ports", "share", "spread-job", "test-only", "unbuffered",
	"usage", "use-min-nodes", "verbose", "version", "wait-for-children", "whole", "x11",
};
static const char with_value[] = "ABcCdDeFGiJLmMnNopqrStTUwWx"; /* short ones */

static int among(const char *word, size_t n, const char *const *list, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (strncmp(word, list[i], n) == 0 && list[i][n] == '\0')
			return 1;
	return 0;
}

/* Options that say which nodes the tasks are on, and how many are on each. */
static int says_where(const char *option, size_t n)
{
	static const char *const where[] = { "nodelist", "nodefile", "exclude", "distribution", "relative", "jobid", "het-group" };

	return n == 1 ? strchr("wFxmr", option[0]) != NULL : among(option, n, where, sizeof where / sizeof where[0]);
}

static int says_spread(const char *option, size_t n)
{
	static const char *const spread[] = {
		"nodes", "ntasks-per-node", "tasks-per-node", "ntasks-per-core", "ntasks-per-socket", "ntasks-per-gpu",
	};

	return n == 1 ? option[0] == 'N' : among(option, n, spread, sizeof spread / sizeof spread[0]);
}

/* Newer releases of srun take no number of nodes beside a list of them. */
#define NEWER (SLURM_VERSION_NUMBER > SLURM_VERSION_NUM(22, 5, 255))

static int says_nodes(const char *option, size_t n)
{
	return n == 1 ? option[0] == 'N' : n == 5 && strncmp(option, "nodes", n) == 0;
}

struct request {
	int where, spread, nodes; /* it says so itself */
	long tasks; /* how many it wants; 0: all */
};

/* asked reads the command line of this srun up to the program that it starts. One that
 * cannot be read asks for nothing. */
static struct request asked(void)
{
	struct request r = { 0, 0, 0, 0 };
	size_t room = 1 << 16, len = 0, n;
	char *text = malloc(room + 1), *at, *name, *value;
	FILE *file = fopen("/proc/self/cmdline", "re");

	if (text != NULL && file != NULL)
		len = fread(text, 1, room, file);
	if (file != NULL)
		fclose(file);
	if (len == 0) {
		free(text);
		return r;
	}
	text[len] = '\0';
	for (at = text + strlen(text) + 1; at < text + len && at[0] == '-' && at[1] != '\0'; at += strlen(at) + 1) {
		if (strcmp(at, "--") == 0)
			break;
		if (at[1] == '-') {
			name = at + 2;
			n = strcspn(name, "=");
			value = name[n] == '=' ? name + n + 1 : NULL;
			if (value == NULL && !among(name, n, bare, sizeof bare / sizeof bare[0])) {
				at += strlen(at) + 1;
				value = at < text + len ? at : NULL;
			}
		} else {
			name = at + 1; /* letters without a value may stand before it */
			while (name[1] != '\0' && strchr(with_value, name[0]) == NULL && strchr("IkK", name[0]) == NULL)
				name++;
			n = 1;
			value = name + 1;
			if (strchr(with_value, name[0]) == NULL) {
				value = NULL;
			} else if (value[0] == '\0') {
				at += strlen(at) + 1;
				value = at < text + len ? at : NULL;
			}
		}
		r.where |= says_where(name, n);
		r.spread |= says_spread(name, n);
		r.nodes |= says_nodes(name, n);
		if (value != NULL && ((n == 1 && name[0] == 'n') || (n == 6 && strncmp(name, "ntasks", n) == 0)))
			r.tasks = atol(value);
		if (value == NULL && at >= text + len)
			break;
	}
	free(text);
	return r;
}

/* hosts writes a list of nodes, n1*4,n2*2, line by line into a file without a name, and
 * says how many lines there are and whether they are all the same. */
static int hosts(const char *list, long *lines, int *one)
{
	int fd = memfd_create("libra-hosts", MFD_CLOEXEC);
	const char *first = list, *at;
	size_t n, first_n = strcspn(list, "*,");
	long times;

	*lines = 0;
	*one = 1;
	for (at = list; fd >= 0 && *at != '\0'; at += at[0] == ',') {
		n = strcspn(at, "*,");
		*one = *one && n == first_n && strncmp(at, first, n) == 0;
		times = at[n] == '*' ? atol(at + n + 1) : 1;
		for (; times > 0; times--, ++*lines)
			if (dprintf(fd, "%.*s\n", (int)n, at) < 0) {
				close(fd);
				return -1;
			}
		at += strcspn(at, ",");
	}
	return fd;
}

/* give sets a variable of srun's, and remembers what it was. */
static void give(const char *word, const char *value)
{
	char name[LONGEST], had[LONGEST], old[PATH_MAX] = "";
	const char *was;

	name_of(name, "SLURM_", word);
	name_of(had, "LIBRA_HAD_", word);
	was = getenv(name);
	if (was != NULL && (size_t)snprintf(old, sizeof old, "=%s", was) >= sizeof old)
		return;
	setenv(had, old, 1);
	setenv(name, value, 1);
}

/* Slurm calls this in srun before it reads its options. */
int slurm_spank_init(spank_t sp, int ac, char **av)
{
	const char *of = getenv("LIBRA_STEP_JOB"), *job = getenv("SLURM_JOB_ID"), *list, *value;
	char path[LONGEST], name[LONGEST];
	struct request r;
	long lines = 0;
	size_t i;
	int fd, one = 0, listed = 0;

	/* Who hands a job in from within another gives it its own environment. */
	if (spank_context() != S_CTX_LOCAL || of == NULL || job == NULL || strcmp(of, job) != 0)
		return 0;
	r = asked();
	value = getenv("SLURM_NTASKS");
	if (getenv("LIBRA_STEP_SIZE") != NULL && !r.where && !r.spread && (r.tasks == 0 || (value != NULL && r.tasks == atol(value))))
		setenv("LIBRA_HAD_ALL", "1", 1);
	list = getenv("LIBRA_STEP_HOSTFILE");
	if (list != NULL && getenv("SLURM_HOSTFILE") == NULL) {
		fd = hosts(list, &lines, &one);
		/* An element is on one node. Of all other jobs Slurm divides a part of the
		 * tasks as it does elsewhere. */
		listed = fd >= 0 && !r.where &&
			 (one ? !(NEWER && r.nodes) : !r.spread && (r.tasks == 0 || r.tasks == lines));
		if (listed) {
			snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
			give("HOSTFILE", path);
			if (r.tasks == 0 || r.tasks == lines)
				setenv("LIBRA_HAD_ALL", "1", 1);
		} else if (fd >= 0) {
			close(fd);
		}
	}
	for (i = 1; i < WORDS; i++) {
		name_of(name, "LIBRA_STEP_", words[i]);
		value = getenv(name);
		if (value != NULL && (listed || strcmp(words[i], "DISTRIBUTION") != 0))
			give(words[i], value);
	}
	return 0;
}

/* usual is the distribution that srun chooses, and tells of, where nobody says any. */
static const char *usual(spank_t sp)
{
	char tasks[LONGEST], nodes[LONGEST];

	if (spank_getenv(sp, "SLURM_STEP_NUM_TASKS", tasks, sizeof tasks) == ESPANK_SUCCESS &&
	    spank_getenv(sp, "SLURM_STEP_NUM_NODES", nodes, sizeof nodes) == ESPANK_SUCCESS && atol(tasks) <= atol(nodes))
		return "cyclic";
	return "block";
}

/* size tells a task of a step of all tasks of its job of the processors that were sold, where Slurm
 * has set aside as many on each node as on the fullest. */
static void size(spank_t sp)
{
	static const char all[] = "SLURM_JOB_CPUS_PER_NODE", same[] = "SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0";
	char text[PATH_MAX], old[PATH_MAX], n[LONGEST], *at;
	long tasks = 1, each = 1;

	if (spank_getenv(sp, all, text, sizeof text) == ESPANK_SUCCESS && spank_getenv(sp, same, old, sizeof old) == ESPANK_SUCCESS)
		spank_setenv(sp, same, text, 1);
	if (spank_getenv(sp, "SLURM_GTIDS", text, sizeof text) != ESPANK_SUCCESS ||
	    spank_getenv(sp, "SLURM_CPUS_ON_NODE", old, sizeof old) != ESPANK_SUCCESS)
		return;
	for (at = text; *at != '\0'; at++)
		tasks += *at == ',';
	if (spank_getenv(sp, "SLURM_CPUS_PER_TASK", n, sizeof n) == ESPANK_SUCCESS && atol(n) > 1)
		each = atol(n);
	snprintf(n, sizeof n, "%ld", tasks * each);
	if (tasks * each < atol(old))
		spank_setenv(sp, "SLURM_CPUS_ON_NODE", n, 1);
}

/* Slurm calls this in every task as its user, when its environment is what the program
 * will have. */
int slurm_spank_task_init(spank_t sp, int ac, char **av)
{
	char name[LONGEST], had[LONGEST], said[LONGEST], old[PATH_MAX], now[PATH_MAX], given[PATH_MAX];
	size_t i;

	/* The script of a job is told that its steps need not be told by itself. */
	if (spank_getenv(sp, "LIBRA_STEPS", now, sizeof now) == ESPANK_SUCCESS)
		spank_setenv(sp, "LIBRA_STEPS", "yes", 1);
	if (spank_getenv(sp, "LIBRA_HAD_ALL", now, sizeof now) == ESPANK_SUCCESS) {
		spank_unsetenv(sp, "LIBRA_HAD_ALL");
		size(sp);
	}
	for (i = 0; i < WORDS; i++) {
		name_of(name, "SLURM_", words[i]);
		name_of(had, "LIBRA_HAD_", words[i]);
		name_of(said, "LIBRA_STEP_", words[i]);
		if (spank_getenv(sp, had, old, sizeof old) != ESPANK_SUCCESS)
			continue;
		spank_unsetenv(sp, had);
		/* srun says what it was told on its command line */
		if (i > 0 && (spank_getenv(sp, name, now, sizeof now) != ESPANK_SUCCESS ||
			      spank_getenv(sp, said, given, sizeof given) != ESPANK_SUCCESS || strcmp(now, given) != 0))
			continue;
		if (old[0] == '=')
			spank_setenv(sp, name, old + 1, 1);
		else if (strcmp(words[i], "DISTRIBUTION") == 0)
			spank_setenv(sp, name, usual(sp), 1);
		else
			spank_unsetenv(sp, name);
	}
	return 0;
}
