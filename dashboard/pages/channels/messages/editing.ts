import { createContext, useContext } from 'react'

type Editing = {
  messageId: string | null
  edit: (messageId: string | null) => void
  /** People change their messages, and react, where a message was written. */
  isBuiltIn: boolean
}

/** Which of the reader's own messages is being changed, in the channel or in its thread. */
export const EditingContext = createContext<Editing>({
  messageId: null,
  edit: () => undefined,
  isBuiltIn: false,
})

export const useEditing = () => useContext(EditingContext)
