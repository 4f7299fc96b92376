import { Avatar } from '@mantine/core'
import classes from './logos.module.css'

type Props = { name: string; radius?: number; title?: string }

/** The first letter of a name in a line of text: two would be too small to read there. It is no part of what is copied from a table. */
export function InitialAvatar({ name, ...look }: Props) {
  return (
    <Avatar size={20} color="gray" c="inherit" {...look}>
      <span className={classes.initial} data-initial={[...name.trim()][0]?.toUpperCase()} />
    </Avatar>
  )
}
