/** Whether the URL's host is this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}
