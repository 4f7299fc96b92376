import { Avatar } from '@mantine/core'
import { BrandTile } from './brand-tile.tsx'
import { brandOf } from './brands.ts'
import classes from './logos.module.css'

type Props = { name: string; url: string }

/** The logo of a well-known service, by its address, or else the initials of the name in a color of its own. */
export function SiteAvatar({ name, url }: Props) {
  const brand = brandOf(url)
  return (
    <span className={classes.site} aria-hidden>
      {brand ? <BrandTile brand={brand} /> : <Avatar size={20} radius={5} name={name} color="initials" />}
    </span>
  )
}
