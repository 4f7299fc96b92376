import { Anchor, Group, Image, Text } from '@mantine/core'
import { apiUrl } from '../../../api.ts'
import type { Message } from '../../../contract.ts'

type File = Message['files'][number]

/** Images are shown; other files can be saved, and what the agent could not read says why. */
export function MessageFiles({ files }: { files: File[] }) {
  return (
    <Group gap="xs" mt={4} align="flex-start">
      {files.map((file) => (
        <OneFile key={file.id} file={file} />
      ))}
    </Group>
  )
}

function OneFile({ file: { id, name, mediaType, problem } }: { file: File }) {
  const href = apiUrl(`/files/${id}`)
  if (mediaType?.startsWith('image/') && problem === null)
    return (
      <Anchor href={href} target="_blank" rel="noreferrer">
        <Image src={href} alt={name} mah={240} maw={320} w="auto" radius="sm" loading="lazy" />
      </Anchor>
    )
  return (
    <div>
      <Anchor href={href} size="sm" download={name}>
        {name}
      </Anchor>
      {problem !== null && (
        <Text size="xs" c="dimmed">
          Not read: {problem}
        </Text>
      )}
    </div>
  )
}
