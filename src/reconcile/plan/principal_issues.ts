import type { Issue } from '../../core/issue.ts'
import { joinPointer, type Pointer } from '../../core/pointer.ts'
import type { WantedResource } from '../../manifest/manifest.ts'
import type { Principals } from '../model/principals.ts'
import { issueAt } from './issue_at.ts'

/** Reports users and groups of a block that the server does not have. */
export function checkPrincipals(wanted: WantedResource, principals: Principals): Issue[] {
  const named = listNamed(wanted)
  if (named.length === 0) return []
  if (!principals.known) {
    const message = `cannot check the users and groups of "${wanted.key}": this account cannot list them`
    return [issueAt(wanted, 'plan/unknown', message, named[0]?.pointer)]
  }
  return named.flatMap(({ name, pointer }) => {
    const found = principals.find(name)
    if ('name' in found) return []
    const issue = issueAt(wanted, 'plan/principal', found.fault, pointer)
    return [found.hint === undefined ? issue : { ...issue, hint: found.hint }]
  })
}

interface PrincipalName {
  readonly name: string
  readonly pointer: Pointer
}

function listNamed({ owner, permissions }: WantedResource): PrincipalName[] {
  const rules = permissions?.rules ?? []
  const base = permissions?.owns === 'listed' ? '/permissions/include' : '/permissions'
  return [
    ...(owner === undefined ? [] : [{ name: owner, pointer: '/owner' }]),
    ...rules.map(({ principal }, at) => ({ name: principal, pointer: joinPointer(base, at, 'principal') })),
  ]
}
