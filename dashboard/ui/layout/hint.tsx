import { Tooltip, type TooltipProps } from '@mantine/core'
import { cloneElement, type PointerEvent, type ReactElement, type Ref, useRef, useState } from 'react'

type Pointed = {
  ref?: Ref<Element>
  onPointerEnter?: (event: PointerEvent) => void
  onPointerLeave?: () => void
}
type Props = Pick<TooltipProps, 'label' | 'position' | 'multiline' | 'maw' | 'disabled'> & {
  children: ReactElement<Pointed>
}

const afterMs = 250

/**
 * Words beside the pointer. They are made when it first rests on something: on a page with hundreds of them, such as a list with
 * times, all others would take longer than the rest of the page.
 */
export function Hint({ children, disabled = false, ...words }: Props) {
  const target = useRef<HTMLElement>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const [isMade, setIsMade] = useState(false)
  const pointed: Pointed = {
    ref: target,
    onPointerEnter: ({ pointerType }) => {
      if (pointerType !== 'touch') timer.current = setTimeout(() => setIsMade(true), afterMs)
    },
    onPointerLeave: () => clearTimeout(timer.current),
  }
  return (
    <>
      {cloneElement(children, pointed)}
      {isMade && !disabled && <Tooltip {...words} target={target} defaultOpened />}
    </>
  )
}
