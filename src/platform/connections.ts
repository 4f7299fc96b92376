/** To the database, of one process: for everything, for accepting alone, for notifications, and to see whether the server answers while it stops. */
export const connections = { pool: 6, accepting: 3, notifications: 1, stopping: 1 }
export const mostConnections = Object.values(connections).reduce((sum, count) => sum + count)
