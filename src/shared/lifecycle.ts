/**
 * Where the process is between its start and its end. `leaving`: about to stop, so a load balancer should turn to others; until
 * then everything works.
 */
export type Lifecycle = { phase: 'starting' | 'ready' | 'leaving' | 'stopping' }
