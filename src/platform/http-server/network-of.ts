import ipaddr from 'ipaddr.js'

/** What a limit counts: an address, or the network of an IPv6 address, since anyone with one has 2⁶⁴ of them. */
export function networkOf(source: string): string {
  if (!ipaddr.isValid(source)) return source
  const address = ipaddr.process(source)
  return address.kind() === 'ipv6'
    ? ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toString()
    : address.toString()
}
