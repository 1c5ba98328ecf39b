import type { Principal } from '../../api/read_tree.ts'
import type { ProblemCode } from '../../contract/problems.ts'
import { problems } from '../../contract/problems.ts'
import type { Issue } from '../../core/issue.ts'
import { describeAccess } from '../access/describe_access.ts'
import type { Plan } from '../model/change.ts'
import { indexPrincipals } from '../model/principals.ts'

/** Full names of those whose gains are public. */
export const publicPrincipals: readonly string[] = ['user:guest']

/**
 * Reports an error for each gain of access by one of the principals, on existing and new resources. The plan must have
 * been computed with the principals as watched ones.
 */
export function checkForbiddenGains({ access, principals }: Plan, names: readonly string[]): Issue[] {
  if (names.length === 0) return []
  const { find } = indexPrincipals(listOf(principals))
  const found = names.map(find)
  const faults = found.filter((one) => 'fault' in one)
  if (faults.length > 0)
    return faults.map(({ fault, hint }) => ({
      ...issueOf('plan/principal', fault),
      ...(hint === undefined ? {} : { hint }),
    }))
  const forbidden = new Set(found.flatMap((one) => ('name' in one ? [one.name] : [])))
  if (access?.complete !== true || (!access.users && [...forbidden].some(isPerson)))
    return [
      issueOf('plan/access-unknown', 'this account cannot read everything that determines who gains access'),
    ]
  const gains = access.changes.flatMap((one) => {
    const gaining = one.principals.filter((name) => forbidden.has(name))
    return one.change === 'gain' && gaining.length > 0
      ? [{ ...one, principals: gaining, implied: false }]
      : []
  })
  return describeAccess(gains).map(({ sentence, names: resources, causes: [span] }) => ({
    ...issueOf('plan/forbidden-gain', `${sentence}: ${resources}`),
    ...(span === undefined ? {} : { span }),
  }))
}

const isPerson = (name: string) => name.startsWith('user:') && !publicPrincipals.includes(name)

function listOf(ids: Plan['principals']): Principal[] {
  return [...ids].map(([name, id]) => {
    const at = name.indexOf(':')
    const kind = name.slice(0, at) === 'group' ? 'group' : 'user'
    return { id, kind, keyname: name.slice(at + 1) }
  })
}

function issueOf(code: ProblemCode, message: string): Issue {
  return { code, severity: 'error', message, hint: problems[code].advice }
}
