import { ApiProblem } from '../../api.ts'
import type { Role } from '../../contract.ts'
import { roleLabels } from './roles.ts'

/** What a page shows to somebody who followed a colleague's link and may not see it. */
export function notForRole(needed: Role): ApiProblem {
  return new ApiProblem({
    type: 'forbidden',
    title: 'You do not have access to this page',
    status: 403,
    detail: `You need the ${roleLabels[needed]} role to open this page. Ask an admin.`,
  })
}
