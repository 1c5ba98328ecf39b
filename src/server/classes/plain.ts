import type { Cls } from '../../contract/registry.ts'
import type { Behaviour } from './behaviour.ts'

/** What classes do that have nothing of their own: groups of all kinds. */
export function plainBehaviour<C extends Cls>(): Behaviour<C> {
  return {
    readMembers: async () => new Map(),
    create: async () => undefined,
    update: async () => undefined,
  }
}
