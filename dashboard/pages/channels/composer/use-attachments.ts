import { useState } from 'react'
import { mostFiles } from '../../../../src/chat/files/contract.ts'
import { upload } from '../../../api.ts'
import type { Message } from '../../../contract.ts'
import { describeError } from '../../../ui/feedback/error-alert.tsx'

export type AttachedFile = Message['files'][number]
export type Attaching = ReturnType<typeof useAttachments>

/** Files that go with the next message: uploaded at once, so that what cannot be read is said before it is sent. */
export function useAttachments(channelId: string) {
  const [files, setFiles] = useState<AttachedFile[]>([])
  const [pending, setPending] = useState(0)
  const [error, setError] = useState<string | null>(null)

  async function addOne(file: File): Promise<void> {
    setPending((count) => count + 1)
    try {
      const path = `/channels/${channelId}/files?name=${encodeURIComponent(file.name || 'file')}`
      const added = await upload<AttachedFile>(path, file)
      setFiles((all) => [...all, added])
    } catch (failure) {
      setError(
        `${file.name}: ${describeError(failure instanceof Error ? failure : new Error(String(failure))).detail}`,
      )
    } finally {
      setPending((count) => count - 1)
    }
  }

  return {
    files,
    error,
    isBusy: pending > 0,
    add(chosen: Iterable<File>) {
      const given = [...chosen]
      const room = mostFiles - files.length - pending
      setError(given.length > room ? `A message has ${mostFiles} files at most.` : null)
      for (const file of given.slice(0, Math.max(0, room))) void addOne(file)
    },
    remove: (id: string) => setFiles((all) => all.filter((file) => file.id !== id)),
    /** They are sent now. */
    take() {
      setFiles([])
      setError(null)
      return files
    },
    putBack: (taken: AttachedFile[]) => setFiles((all) => [...taken, ...all]),
  }
}
