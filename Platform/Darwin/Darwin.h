// Darwin's C, as far as the libraries call it: names, and the shapes of what is passed. Written from its public documentation
// and open source (Platform/Facts/Darwin.md). Nothing here is compiled into anything or called: scripts/apple-triple.sh
// checks against it what stands behind canImport(Darwin).
//
// Each declaration has a C name of its own, because the C library of Linux is in the same compilation, and Darwin's in Swift.
#pragma once

#define NAMED(name) __attribute__((swift_name(name)))
#define CALL(result, name, labels, ...) result darwin_##name(__VA_ARGS__) NAMED(#name labels)
#define NUMBER(type, name, value) static const type darwin_##name NAMED(#name) = value
#define TYPE(definition, name) typedef definition darwin_##name NAMED(#name)
#define RECORD(name) struct NAMED(#name) darwin_##name

typedef __SIZE_TYPE__ size_t;
TYPE(int, dev_t);
TYPE(unsigned short, mode_t);
TYPE(unsigned short, nlink_t);
TYPE(unsigned long long, ino_t);
TYPE(long long, off_t);
TYPE(int, pid_t);
TYPE(unsigned int, uid_t);
TYPE(unsigned int, gid_t);
TYPE(unsigned int, nfds_t);
TYPE(unsigned int, sigset_t);
TYPE(unsigned int, socklen_t);
TYPE(unsigned char, sa_family_t);
TYPE(unsigned short, in_port_t);

// Files.

RECORD(timespec) { long tv_sec; long tv_nsec; };

RECORD(stat) {
    darwin_dev_t st_dev;
    darwin_mode_t st_mode;
    darwin_nlink_t st_nlink;
    darwin_ino_t st_ino;
    darwin_uid_t st_uid;
    darwin_gid_t st_gid;
    darwin_dev_t st_rdev;
    struct darwin_timespec st_atimespec;
    struct darwin_timespec st_mtimespec;
    struct darwin_timespec st_ctimespec;
    struct darwin_timespec st_birthtimespec;
    darwin_off_t st_size;
    long long st_blocks;
    int st_blksize;
    unsigned int st_flags;
    unsigned int st_gen;
    int st_lspare;
    long long st_qspare[2];
};

RECORD(dirent) {
    unsigned long long d_ino;
    unsigned long long d_seekoff;
    unsigned short d_reclen;
    unsigned short d_namlen;
    unsigned char d_type;
    char d_name[1024];
};
TYPE(struct { int __dd_fd; }, DIR);

CALL(int, getpagesize, "()", void);
CALL(void *, mmap, "(_:_:_:_:_:_:)", void *, size_t, int, int, int, darwin_off_t);
CALL(int, mprotect, "(_:_:_:)", void *, size_t, int);
CALL(int, munmap, "(_:_:)", void *, size_t);
CALL(int, access, "(_:_:)", const char *, int);
CALL(int, close, "(_:)", int);
CALL(int, closedir, "(_:)", darwin_DIR *);
CALL(int, flock, "(_:_:)", int, int);
CALL(int, fstat, "(_:_:)", int, struct darwin_stat *);
CALL(int, fsync, "(_:)", int);
CALL(int, ftruncate, "(_:_:)", int, darwin_off_t);
CALL(int, link, "(_:_:)", const char *, const char *);
CALL(darwin_off_t, lseek, "(_:_:_:)", int, darwin_off_t, int);
CALL(int, lstat, "(_:_:)", const char *, struct darwin_stat *);
CALL(int, mkdir, "(_:_:)", const char *, darwin_mode_t);
CALL(darwin_DIR *, opendir, "(_:)", const char *);
CALL(long, pwrite, "(_:_:_:_:)", int, const void *, size_t, darwin_off_t);
CALL(long, read, "(_:_:_:)", int, void *, size_t);
CALL(struct darwin_dirent *, readdir, "(_:)", darwin_DIR *);
CALL(char *, realpath, "(_:_:)", const char *, char *);
CALL(int, rename, "(_:_:)", const char *, const char *);
CALL(int, unlink, "(_:)", const char *);
CALL(long, write, "(_:_:_:)", int, const void *, size_t);

NUMBER(int, PROT_NONE, 0x0);
NUMBER(int, PROT_READ, 0x1);
NUMBER(int, PROT_WRITE, 0x2);
NUMBER(int, MAP_PRIVATE, 0x2);
NUMBER(int, MAP_ANON, 0x1000);
NUMBER(int, O_RDONLY, 0x0);
NUMBER(int, O_WRONLY, 0x1);
NUMBER(int, O_RDWR, 0x2);
NUMBER(int, O_NONBLOCK, 0x4);
NUMBER(int, O_NOFOLLOW, 0x100);
NUMBER(int, O_CREAT, 0x200);
NUMBER(int, O_EXCL, 0x800);
NUMBER(int, O_DIRECTORY, 0x100000);
NUMBER(int, O_CLOEXEC, 0x1000000);
NUMBER(int, F_GETFL, 3);
NUMBER(int, F_SETFD, 2);
NUMBER(int, F_SETFL, 4);
NUMBER(int, F_FULLFSYNC, 51);
NUMBER(int, FD_CLOEXEC, 1);
NUMBER(int, LOCK_SH, 1);
NUMBER(int, LOCK_EX, 2);
NUMBER(int, LOCK_NB, 4);
NUMBER(int, SEEK_SET, 0);
NUMBER(int, R_OK, 4);

// Processes.

TYPE(void *, posix_spawn_file_actions_t);
TYPE(void *, posix_spawnattr_t);

CALL(void, free, "(_:)", void *);
CALL(char *, strdup, "(_:)", const char *);
CALL(char *, strerror, "(_:)", int);
CALL(darwin_pid_t, getpid, "()", void);
CALL(darwin_uid_t, getuid, "()", void);
CALL(darwin_uid_t, geteuid, "()", void);
CALL(int, posix_spawn_file_actions_init, "(_:)", darwin_posix_spawn_file_actions_t *);
CALL(int, posix_spawn_file_actions_destroy, "(_:)", darwin_posix_spawn_file_actions_t *);
CALL(int, posix_spawn_file_actions_addopen, "(_:_:_:_:_:)", darwin_posix_spawn_file_actions_t *, int, const char *, int,
    darwin_mode_t);
CALL(int, posix_spawnattr_init, "(_:)", darwin_posix_spawnattr_t *);
CALL(int, posix_spawnattr_destroy, "(_:)", darwin_posix_spawnattr_t *);
CALL(int, posix_spawnattr_setflags, "(_:_:)", darwin_posix_spawnattr_t *, short);
CALL(int, posix_spawnattr_setsigdefault, "(_:_:)", darwin_posix_spawnattr_t *, const darwin_sigset_t *);
CALL(int, posix_spawnattr_setsigmask, "(_:_:)", darwin_posix_spawnattr_t *, const darwin_sigset_t *);
CALL(int, posix_spawnp, "(_:_:_:_:_:_:)", darwin_pid_t *, const char *, const darwin_posix_spawn_file_actions_t *,
    const darwin_posix_spawnattr_t *, char *const *, char *const *);
CALL(int, sigaddset, "(_:_:)", darwin_sigset_t *, int);
CALL(int, sigemptyset, "(_:)", darwin_sigset_t *);
CALL(darwin_pid_t, waitpid, "(_:_:_:)", darwin_pid_t, int *, int);

NUMBER(int, POSIX_SPAWN_SETPGROUP, 0x2);
NUMBER(int, POSIX_SPAWN_SETSIGDEF, 0x4);
NUMBER(int, POSIX_SPAWN_SETSIGMASK, 0x8);
NUMBER(int, POSIX_SPAWN_CLOEXEC_DEFAULT, 0x4000);
NUMBER(int, SIGHUP, 1);
NUMBER(int, SIGINT, 2);
NUMBER(int, SIGQUIT, 3);
NUMBER(int, SIGPIPE, 13);
NUMBER(int, SIGALRM, 14);
NUMBER(int, SIGTERM, 15);
NUMBER(int, SIGCHLD, 20);
NUMBER(int, SIGUSR1, 30);
NUMBER(int, SIGUSR2, 31);

// Sockets. There is no MSG_NOSIGNAL, no SOCK_CLOEXEC and no accept4.

RECORD(sockaddr) { unsigned char sa_len; darwin_sa_family_t sa_family; char sa_data[14]; };
RECORD(in_addr) { unsigned int s_addr; };
RECORD(sockaddr_in) {
    unsigned char sin_len;
    darwin_sa_family_t sin_family;
    darwin_in_port_t sin_port;
    struct darwin_in_addr sin_addr;
    char sin_zero[8];
};
RECORD(in6_addr) {
    union { unsigned char __u6_addr8[16]; unsigned short __u6_addr16[8]; unsigned int __u6_addr32[4]; } __u6_addr;
};
RECORD(sockaddr_in6) {
    unsigned char sin6_len;
    darwin_sa_family_t sin6_family;
    darwin_in_port_t sin6_port;
    unsigned int sin6_flowinfo;
    struct darwin_in6_addr sin6_addr;
    unsigned int sin6_scope_id;
};
RECORD(sockaddr_storage) {
    unsigned char ss_len;
    darwin_sa_family_t ss_family;
    char __ss_pad1[6];
    long long __ss_align;
    char __ss_pad2[112];
};
RECORD(pollfd) { int fd; short events; short revents; };

CALL(int, accept, "(_:_:_:)", int, struct darwin_sockaddr *, darwin_socklen_t *);
CALL(int, bind, "(_:_:_:)", int, const struct darwin_sockaddr *, darwin_socklen_t);
CALL(int, getpeername, "(_:_:_:)", int, struct darwin_sockaddr *, darwin_socklen_t *);
CALL(int, getsockname, "(_:_:_:)", int, struct darwin_sockaddr *, darwin_socklen_t *);
CALL(int, inet_pton, "(_:_:_:)", int, const char *, void *);
CALL(int, listen, "(_:_:)", int, int);
CALL(int, pipe, "(_:)", int[2]);
CALL(int, poll, "(_:_:_:)", struct darwin_pollfd *, darwin_nfds_t, int);
CALL(long, recv, "(_:_:_:_:)", int, void *, size_t, int);
CALL(long, send, "(_:_:_:_:)", int, const void *, size_t, int);
CALL(int, setsockopt, "(_:_:_:_:_:)", int, int, int, const void *, darwin_socklen_t);
CALL(int, shutdown, "(_:_:)", int, int);
CALL(int, socket, "(_:_:_:)", int, int, int);

NUMBER(int, AF_INET, 2);
NUMBER(int, AF_INET6, 30);
NUMBER(int, IPPROTO_TCP, 6);
NUMBER(int, IPPROTO_IPV6, 41);
NUMBER(int, IPV6_V6ONLY, 27);
NUMBER(int, POLLIN, 0x1);
NUMBER(int, POLLOUT, 0x4);
NUMBER(int, POLLERR, 0x8);
NUMBER(int, POLLHUP, 0x10);
NUMBER(int, POLLNVAL, 0x20);
NUMBER(int, SHUT_WR, 1);
NUMBER(int, SOCK_STREAM, 1);
NUMBER(int, SOL_SOCKET, 0xffff);
NUMBER(int, SO_REUSEADDR, 0x4);
NUMBER(int, SO_SNDBUF, 0x1001);
NUMBER(int, SO_NOSIGPIPE, 0x1022);
NUMBER(int, TCP_NODELAY, 0x1);

// Errors.

NUMBER(int, ENOENT, 2);
NUMBER(int, EINTR, 4);
NUMBER(int, EEXIST, 17);
NUMBER(int, ENOTDIR, 20);
NUMBER(int, EINVAL, 22);
NUMBER(int, ENFILE, 23);
NUMBER(int, EMFILE, 24);
NUMBER(int, ENOSPC, 28);
NUMBER(int, EMLINK, 31);
NUMBER(int, EAGAIN, 35);
NUMBER(int, EWOULDBLOCK, 35);
NUMBER(int, EADDRINUSE, 48);
NUMBER(int, ELOOP, 62);
NUMBER(int, EDQUOT, 69);
