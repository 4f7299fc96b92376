/**
 * PostgreSQL's settings at each start. Passed on the command line, so that a file in the cluster cannot override what durability
 * and privacy depend on.
 */
export function serverSettings(socketFolder: string): Record<string, string> {
  return {
    // Reachable only through a socket in a folder that only its owner may enter.
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    unix_socket_permissions: '0700',
    // Committed means on disk.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // For a small machine: 32 MB shared and few background workers stay under 100 MB in total; the kernel's cache does the rest.
    max_connections: '60',
    shared_buffers: '32MB',
    io_method: 'sync',
    max_worker_processes: '2',
    max_parallel_workers_per_gather: '0',
    max_logical_replication_workers: '0',
    autovacuum_max_workers: '2',
    jit: 'off',
    wal_compression: 'pglz',
    // The log shows the server's state; a failing statement, which may contain secrets, is reported only to its caller.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_checkpoints: 'off',
    log_destination: 'stderr',
    logging_collector: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
  }
}
