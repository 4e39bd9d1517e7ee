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
 * A job for which there is no such group is none of Libra's and is left alone. The
 * plugin never makes a group and never fails a job: what it could not do is a line
 * in the log of slurmd, and the agent finds the job's processes another way.
 *
 * build:           gcc -shared -fPIC -O2 -o libra_spank.so libra_spank.c
 * plugstack.conf:  optional /usr/local/lib/slurm/libra_spank.so [root=/sys/fs/cgroup] [tree=libra]
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
 * like in v1, nothing in v2. No group there means that the job is not Libra's. */
static void enter(const struct place *at, const char *hierarchy)
{
	char path[PATH_MAX];
	int fd, n;

	n = snprintf(path, sizeof path, "%s%s/%s/%s/slurm_%u/cgroup.procs",
		     at->root, hierarchy, at->tree, at->node, at->job);
	if (n < 0 || (size_t)n >= sizeof path)
		return;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			slurm_error("libra: open %s: %s", path, strerror(errno));
		return;
	}
	/* 0 is whoever writes it, in every version of the kernel's groups */
	if (write(fd, "0", 1) != 1)
		slurm_error("libra: enter %s: %s", path, strerror(errno));
	close(fd);
}

static int is_v2(const char *root)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/cgroup.controllers", root);

	return n > 0 && (size_t)n < sizeof path && access(path, F_OK) == 0;
}

/* Slurm calls this in every task of every step, the batch script included, as root
 * and right before it becomes the user and executes the program. */
int slurm_spank_task_init_privileged(spank_t sp, int ac, char **av)
{
	struct place at = { "/sys/fs/cgroup", "libra", NULL, 0 };
	char host[HOST_NAME_MAX + 1] = "";
	int i;

	for (i = 0; i < ac; i++) {
		if (strncmp(av[i], "root=", 5) == 0)
			at.root = av[i] + 5;
		else if (strncmp(av[i], "tree=", 5) == 0)
			at.tree = av[i] + 5;
		else
			slurm_error("libra: plugstack.conf: %s is none of root= tree=", av[i]);
	}
	if (spank_get_item(sp, S_JOB_ID, &at.job) != ESPANK_SUCCESS)
		return 0;
	/* Of slurmstepd's own environment: the job's does not have it yet. */
	at.node = getenv("SLURMD_NODENAME");
	if (at.node == NULL || at.node[0] == '\0') {
		if (gethostname(host, sizeof host - 1) != 0)
			return 0;
		host[strcspn(host, ".")] = '\0';
		at.node = host;
	}
	if (is_v2(at.root)) {
		enter(&at, "");
	} else {
		enter(&at, "/cpu");
		enter(&at, "/cpuacct");
	}
	return 0;
}
