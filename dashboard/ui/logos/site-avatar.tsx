import { BrandTile } from './brand-tile.tsx'
import { brandOf } from './brands.ts'
import { InitialAvatar } from './initial-avatar.tsx'
import classes from './logos.module.css'

type Props = { name: string; url: string }

/** The logo of a well-known service, by its address, or else the first letter of the name. */
export function SiteAvatar({ name, url }: Props) {
  const brand = brandOf(url)
  return (
    <span className={classes.site} aria-hidden>
      {brand ? <BrandTile brand={brand} /> : <InitialAvatar name={name} radius={5} />}
    </span>
  )
}
