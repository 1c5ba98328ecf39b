import { expect, test } from 'vitest'
import { callerOf, createIdentityCache, type Identity } from '../../../src/server/auth/authenticate.ts'
import type { User } from '../../../src/store/auth/principal.ts'

const user: User = {
  id: 7,
  keyname: 'ada',
  displayName: 'Ada',
  system: false,
  superuser: false,
  disabled: false,
  language: 'en',
  passwordHash: null,
  groupIds: [],
  isAdministrator: false,
  principalIds: [7],
}
const caller = callerOf(user, 'session')

/** Something to find, that counts how often it is looked for and waits until it is let go. */
const findable = (found: Identity | undefined) => {
  const looked: (() => void)[] = []
  const find = () =>
    new Promise<Identity | undefined>((resolve) => {
      looked.push(() => resolve(found))
    })
  return { looked, find }
}

test('concurrent requests share one lookup, and later ones use the cache', async () => {
  const { looked, find } = findable({ caller, prolongedSeconds: 60 })
  const memory = createIdentityCache()
  const asked = [memory.get('a', find), memory.get('a', find)]
  looked[0]?.()
  expect(await Promise.all(asked)).toEqual([
    { caller, prolongedSeconds: 60 },
    { caller, prolongedSeconds: 60 },
  ])
  expect(await memory.get('a', find)).toEqual({ caller })
  expect(looked).toHaveLength(1)
})

test('unknown credentials are cached too, and failures are not', async () => {
  const { looked, find } = findable(undefined)
  const memory = createIdentityCache()
  const asked = memory.get('a', find)
  looked[0]?.()
  expect(await asked).toBeUndefined()
  expect(await memory.get('a', find)).toBeUndefined()
  expect(looked).toHaveLength(1)
  const failing = () => Promise.reject(new Error('the database is away'))
  await expect(memory.get('b', failing)).rejects.toThrow('away')
  await expect(memory.get('b', failing)).rejects.toThrow('away')
})

test('a lookup during a clear is neither cached nor awaited', async () => {
  const old = findable({ caller })
  const fresh = findable(undefined)
  const memory = createIdentityCache()
  const before = memory.get('a', old.find)
  memory.clear()
  const after = memory.get('a', fresh.find)
  old.looked[0]?.()
  expect(await before).toEqual({ caller })
  fresh.looked[0]?.()
  expect(await after).toBeUndefined()
  expect(await memory.get('a', old.find)).toBeUndefined()
})
