import { expect, test } from 'vitest'
import { hasPermission } from '../../../src/access/permission_mask.ts'
import {
  createPermissionCache,
  touchPermissionEpoch,
} from '../../../src/store/access/effective_permission.ts'
import { findUser } from '../../../src/store/auth/principal.ts'
import { bootstrap } from '../../../src/store/bootstrap.ts'
import { describeDrivers } from '../../support/drivers.ts'

describeDrivers('cached permissions', (open) => {
  test('are never those of groups that the user has left', async () => {
    const database = await open()
    await database.transaction((tx) => bootstrap(tx, 'no password'))
    const before = await findUser(database, 'administrator')
    await database.query('delete from membership')
    await database.transaction(touchPermissionEpoch)
    const after = await findUser(database, 'administrator')
    if (before === undefined || after === undefined) throw new Error('there is no administrator')
    const cache = createPermissionCache(database)
    const mayRead = async (asker: typeof after) =>
      hasPermission((await cache.findMasks(asker, [0])).get(0) ?? 0, 'resource.read')
    // Another process may still take the user for a member, when the epoch has moved already.
    expect(await mayRead(before)).toBe(true)
    expect(await mayRead(after)).toBe(false)
  })
})
