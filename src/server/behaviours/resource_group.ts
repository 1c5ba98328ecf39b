import type { Behaviour } from './behaviour.ts'

/** Groups have nothing of their own. */
export const resourceGroupBehaviour: Behaviour<'resource_group'> = {
  readMembers: async () => new Map(),
  create: async () => undefined,
  update: async () => undefined,
}
