import { type RefObject, useEffect, useRef } from 'react'

type Place = { id: string; offset: number }

/**
 * When the list gets another width, because a thread opens beside it, what is being read stays where it is. Returns how to hold on to
 * one message, the one whose thread is opened.
 */
export function useKeptPlace(
  box: RefObject<HTMLElement | null>,
  atEnd: RefObject<boolean>,
): (messageId: string) => void {
  const held = useRef<Place | null>(null)
  const reading = useRef<Place | null>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    let width = element.clientWidth
    const remember = () => {
      const first = [...element.querySelectorAll<HTMLElement>('article[id]')].find(
        (message) => message.getBoundingClientRect().bottom > element.getBoundingClientRect().top,
      )
      reading.current = first ? placeOf(element, first) : null
    }
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === 0) return
      const place = held.current ?? (atEnd.current ? null : reading.current)
      const message = place && document.getElementById(place.id)
      if (element.clientWidth !== width && message && place) {
        element.scrollTop += placeOf(element, message).offset - place.offset
        held.current = null
      } else if (atEnd.current) element.scrollTop = element.scrollHeight
      width = element.clientWidth
    })
    observer.observe(element)
    // What it shows may grow later, as a card does once its approval is loaded.
    const content = element.firstElementChild
    if (content) observer.observe(content)
    element.addEventListener('scroll', remember, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', remember)
    }
  }, [box, atEnd])
  return (messageId) => {
    const message = document.getElementById(messageId)
    held.current = box.current && message ? placeOf(box.current, message) : null
  }
}

function placeOf(box: HTMLElement, message: HTMLElement): Place {
  return { id: message.id, offset: message.getBoundingClientRect().top - box.getBoundingClientRect().top }
}
