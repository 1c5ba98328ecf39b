import { expect, test } from 'vitest'
import {
  defaultPasswordCost,
  generatePassword,
  hashPassword,
  verifyPassword,
} from '../../../src/server/auth/password.ts'

test('a password matches only its own hash', async () => {
  const hash = await hashPassword('correct horse', defaultPasswordCost)
  expect(hash).toMatch(/^scrypt\$32768\$8\$1\$/)
  // A hash keeps the cost it was made with.
  expect(await verifyPassword('correct horse', hash, 8)).toBe(true)
  expect(await verifyPassword('correct horsf', hash, 8)).toBe(false)
  expect(await verifyPassword('', hash, 8)).toBe(false)
})

test('the same password has a different hash each time', async () => {
  expect(await hashPassword('x', 8)).not.toBe(await hashPassword('x', 8))
})

test('equivalent Unicode compositions match', async () => {
  expect(await verifyPassword('ä', await hashPassword('ä', 8), 8)).toBe(true)
})

test('no password matches a missing or invalid hash', async () => {
  for (const hash of [null, '', 'scrypt$', 'plain'])
    expect(await verifyPassword('', hash, 8), String(hash)).toBe(false)
})

test('the maximum cost of the settings can be computed', async () => {
  expect(await hashPassword('x', 20)).toMatch(/^scrypt\$1048576\$/)
})

test('generated passwords are long and differ', () => {
  const passwords = Array.from({ length: 20 }, generatePassword)
  expect(new Set(passwords).size).toBe(20)
  for (const password of passwords) expect(password).toMatch(/^[\w-]{24}$/)
})
