import type { Rule } from '../../src/contract/resource.ts'
import type { Ask } from './server.ts'

/** Creates a group and gives its id; other members of `resource` may be given. */
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

/** Writes a rule from words: `allow resource.read`, or `deny` alone for everything. It propagates unless told. */
export function rule(words: string, principal: number, more: Partial<Rule> = {}): Rule {
  const [action, name = ''] = words.split(' ')
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
