import type { Rule } from '../../src/contract/bodies/resource.ts'
import type { Ask } from './server.ts'

/** Creates a group, with optional further members of `resource`, and returns its id. */
export async function createGroup(
  ask: Ask,
  parent: number,
  more: { readonly display_name: string } & Record<string, unknown>,
): Promise<number> {
  const body = { resource: { cls: 'resource_group', parent: { id: parent }, ...more } }
  const response = await ask('POST', '/api/resource/', body)
  if (response.status !== 200) throw new Error(await response.text())
  return (await response.json<{ id: number }>()).id
}

/** Parses a rule such as `allow resource.read`, or `deny` alone for everything. It propagates by default. */
export function rule(text: string, principal: number, more: Partial<Rule> = {}): Rule {
  const [action, name = ''] = text.split(' ')
  const [scope = '', permission = ''] = name.split('.')
  return {
    action: action === 'deny' ? 'deny' : 'allow',
    principal: { id: principal },
    identity: '',
    scope: scope as Rule['scope'],
    permission: permission as Rule['permission'],
    propagate: true,
    ...more,
  }
}
