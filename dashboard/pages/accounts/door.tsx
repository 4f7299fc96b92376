import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { BellMark } from '../../ui/bell-mark.tsx'
import classes from './door.module.css'

/** The small page in front of the house: sign-in, the first admin, one-time links. */
export function Door({ title, hint, children }: { title: string; hint?: ReactNode; children?: ReactNode }) {
  useDocumentTitle(`${title} · Bellhop`)
  return (
    <main className={classes.door}>
      <div className={classes.card}>
        <Stack gap="md">
          <div className={classes.mark}>
            <BellMark size={28} />
            Bellhop
          </div>
          <div>
            <Title order={1}>{title}</Title>
            {hint && (
              <Text c="dimmed" mt={4}>
                {hint}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </div>
    </main>
  )
}
