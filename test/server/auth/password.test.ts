import { expect, test } from 'vitest'
import { generatePassword, hashPassword, verifyPassword } from '../../../src/server/auth/password.ts'

test('a password matches only its own hash', async () => {
  const hash = await hashPassword('correct horse')
  expect(hash).toMatch(/^scrypt\$32768\$8\$1\$/)
  expect(await verifyPassword('correct horse', hash)).toBe(true)
  expect(await verifyPassword('correct horsf', hash)).toBe(false)
  expect(await verifyPassword('', hash)).toBe(false)
})

test('the same password has a different hash each time', async () => {
  expect(await hashPassword('x')).not.toBe(await hashPassword('x'))
})

test('equivalent Unicode compositions match', async () => {
  expect(await verifyPassword('ä', await hashPassword('ä'))).toBe(true)
})

test('no password matches a missing or invalid hash', async () => {
  for (const hash of [null, '', 'scrypt$', 'plain'])
    expect(await verifyPassword('', hash), String(hash)).toBe(false)
})

test('generated passwords are long and differ', () => {
  const passwords = Array.from({ length: 20 }, generatePassword)
  expect(new Set(passwords).size).toBe(20)
  for (const password of passwords) expect(password).toMatch(/^[\w-]{24}$/)
})
