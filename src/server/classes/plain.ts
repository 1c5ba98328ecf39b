import type { Cls } from '../../contract/registry.ts'
import type { Behaviour } from './behaviour.ts'

/** Creates the behaviour of classes without their own members, such as groups. */
export function plainBehaviour<C extends Cls>(): Behaviour<C> {
  return {
    readMembers: async () => new Map(),
    create: async () => undefined,
    update: async () => undefined,
  }
}
