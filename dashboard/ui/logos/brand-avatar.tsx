import { BrandTile } from './brand-tile.tsx'
import type { BrandName } from './brands.ts'
import { InitialAvatar } from './initial-avatar.tsx'
import classes from './logos.module.css'

type Props = { brand: BrandName | null; name: string }

/** The logo of a well-known service, or else the first letter of the name, in a line of text. */
export function BrandAvatar({ brand, name }: Props) {
  return (
    <span className={classes.inline} aria-hidden>
      {brand ? <BrandTile brand={brand} /> : <InitialAvatar name={name} radius={5} />}
    </span>
  )
}
