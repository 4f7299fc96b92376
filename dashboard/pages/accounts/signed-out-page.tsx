import { Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { Logo } from '../../ui/layout/logo.tsx'
import classes from './signed-out-page.module.css'

/** The small pages for people who are not signed in: sign-in, the first admin, one-time links. */
export function SignedOutPage({
  title,
  hint,
  children,
}: {
  title: string
  hint?: ReactNode
  children?: ReactNode
}) {
  useDocumentTitle(`${title} · Bellhop`)
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Stack gap="md">
          <Logo size="1.75rem" />
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
