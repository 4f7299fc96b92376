import { ApiProblem } from '../../api.ts'
import type { Role } from '../../contract.ts'

/** What a page shows to somebody who followed a colleague's link and may not see it. */
export function notForRole(role: Role, needed: Role): ApiProblem {
  return new ApiProblem({
    type: 'forbidden',
    title: 'Your role does not allow this',
    status: 403,
    detail: `This page needs the role ${needed}; you are ${role}. Ask an admin.`,
  })
}
