import type { ComponentProps } from 'react'
import { FormFoot } from '../../ui/forms/form-foot.tsx'
import { RehearseButton } from './rehearse-button.tsx'
import { UnsavedRehearsal } from './unsaved-rehearsal.tsx'
import type { Rehearsing } from './use-rehearse.ts'

type Props = Omit<ComponentProps<typeof FormFoot>, 'stopped'> & { rehearsing: Rehearsing }

/** The end of a form whose change can be tried on past events before it is saved. */
export function RehearsedFoot({ rehearsing, children, ...foot }: Props) {
  return (
    <>
      <UnsavedRehearsal of={rehearsing} />
      <FormFoot {...foot} stopped={rehearsing.stopsSave}>
        <RehearseButton of={rehearsing} />
        {children}
      </FormFoot>
    </>
  )
}
