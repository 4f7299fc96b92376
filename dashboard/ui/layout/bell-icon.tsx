/** A small reception bell. Also in favicon.svg; drawn here so that it takes the surrounding colour. */
export function BellIcon({ size = '1.375rem' }: { size?: string }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="var(--accent)" aria-hidden="true">
      <circle cx="12" cy="4.6" r="1.6" />
      <rect x="11.2" y="5.6" width="1.6" height="2.6" />
      <path d="M3.5 17a8.5 8.5 0 0 1 17 0z" />
      <rect x="2" y="18.2" width="20" height="2.6" rx="1.3" />
    </svg>
  )
}
