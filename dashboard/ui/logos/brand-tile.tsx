import { type BrandName, brands } from './brands.ts'
import classes from './logos.module.css'

/** The mark of a service. Beside its name, so it is hidden from screen readers. */
export function BrandTile({ brand, size = 20 }: { brand: BrandName; size?: number }) {
  const { color, path } = brands[brand]
  return (
    <span
      className={classes.tile}
      style={{ background: color, width: size, height: size }}
      data-brand={brand}
      aria-hidden
    >
      <svg viewBox="0 0 24 24" fill="#fff" aria-hidden>
        <path d={path} />
      </svg>
    </span>
  )
}
