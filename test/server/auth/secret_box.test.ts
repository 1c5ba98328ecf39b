import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { createSecretBox, openSecretBox } from '../../../src/server/auth/secret_box.ts'

const folders: string[] = []
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

const newFile = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'landform-secrets-'))
  folders.push(folder)
  return join(folder, 'key')
}

const key = Buffer.alloc(32, 7)
const box = createSecretBox(key)

test.each(['sesame', '', 'пароль', 'x'.repeat(10_000)])('%s is decrypted unchanged', (secret) => {
  const sealed = box.seal(secret, 'a')
  expect(sealed).not.toContain(secret || 'never')
  expect(box.open(sealed, 'a')).toBe(secret)
})

test('the same secret has a different ciphertext each time', () => {
  expect(box.seal('sesame', 'a')).not.toBe(box.seal('sesame', 'a'))
})

test.each([
  ['elsewhere', (sealed: string) => () => box.open(sealed, 'b')],
  [
    'changed',
    // In the middle: not every bit of the last digit means something.
    (sealed: string) => () => {
      const digit = sealed[24] === 'A' ? 'B' : 'A'
      return box.open(`${sealed.slice(0, 24)}${digit}${sealed.slice(25)}`, 'a')
    },
  ],
  ['cut', (sealed: string) => () => box.open(sealed.slice(0, 20), 'a')],
  ['with another key', (sealed: string) => () => createSecretBox(Buffer.alloc(32, 8)).open(sealed, 'a')],
  ['as it stands', () => () => box.open('sesame', 'a')],
])('a secret cannot be decrypted %s', (_, open) => {
  expect(open(box.seal('sesame', 'a'))).toThrow(expect.objectContaining({ code: 'secret/unreadable' }))
})

test('the key of a folder is created once, readable by the owner only', async () => {
  const file = await newFile()
  const sealed = (await openSecretBox({ file })).seal('sesame', 'a')
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const [one, other] = await Promise.all([openSecretBox({ file }), openSecretBox({ file })])
  expect([one.open(sealed, 'a'), other.open(sealed, 'a')]).toEqual(['sesame', 'sesame'])
  expect(sealed).not.toContain((await readFile(file, 'utf8')).trim())
})

test.each(['hex', 'base64'] as const)('a key may be given in %s', async (encoding) => {
  const given = await openSecretBox({ key: `${key.toString(encoding)}\n`, file: await newFile() })
  expect(given.open(box.seal('sesame', 'a'), 'a')).toBe('sesame')
})

test('an invalid key is refused, and not shown', async () => {
  const file = await newFile()
  await expect(openSecretBox({ key: 'hunter2', file })).rejects.toThrow(
    'LANDFORM_SECRET_KEY does not contain a key of 32 bytes in base64 or hexadecimal.',
  )
  await writeFile(file, 'short')
  await expect(openSecretBox({ file })).rejects.toMatchObject({ code: 'secret/bad-key' })
})
