export type Encoding = 'br' | 'gzip'

const known: readonly Encoding[] = ['br', 'gzip']

/** What the client can decode, the smallest first (RFC 9110 §12.5.3). `q=0` refuses one. */
export function acceptedEncodings(header: string | null): Encoding[] {
  const offers = new Map(
    (header ?? '').split(',').map((offer) => {
      const [name = '', ...params] = offer.split(';').map((part) => part.trim().toLowerCase())
      const isRefused = params.some((param) => /^q=0(\.0*)?$/.test(param))
      return [name, !isRefused]
    }),
  )
  return known.filter((encoding) => offers.get(encoding) ?? false)
}
