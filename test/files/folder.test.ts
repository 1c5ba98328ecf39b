import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFolder } from '../../src/files/folder.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-folder-'))
  await writeFile(join(folder, 'file'), '')
})
afterAll(() => rm(folder, { recursive: true }))

it('makes a folder with all above it, and leaves nothing in it', async () => {
  const path = join(folder, 'a', 'b')
  await openFolder(path)
  await openFolder(path)
  expect(await readdir(path)).toEqual([])
})

it.each([
  ['file', 'it is a file'],
  ['file/below', 'a part of its path is a file'],
])('says why %s cannot be one', async (name, reason) => {
  const path = join(folder, name)
  await expect(openFolder(path)).rejects.toMatchObject({
    code: 'files/unusable',
    message: `The folder ${path} cannot be used: ${reason}.`,
  })
})

it('says that the system gives no room for one', async () => {
  for (const path of ['/sys/landform', '/proc/landform', '/proc/landform/below'])
    await expect(openFolder(path)).rejects.toMatchObject({ code: 'files/unusable' })
})
