import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openFolder } from '../../src/files/open_folder.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-folder-'))
  await writeFile(join(folder, 'file'), '')
})
afterAll(() => rm(folder, { recursive: true }))

it('creates a folder and its parents, and leaves it empty', async () => {
  const path = join(folder, 'a', 'b')
  await openFolder(path)
  await openFolder(path)
  expect(await readdir(path)).toEqual([])
})

it.each([
  ['file', 'it is a file'],
  ['file/below', 'part of its path is a file'],
])('reports why %s cannot be a folder', async (name, reason) => {
  const path = join(folder, name)
  await expect(openFolder(path)).rejects.toMatchObject({
    code: 'files/unusable',
    message: `Cannot use the folder ${path}: ${reason}.`,
  })
})

it('reports file systems that do not support folders', async () => {
  for (const path of ['/sys/landform', '/proc/landform', '/proc/landform/below'])
    await expect(openFolder(path)).rejects.toMatchObject({ code: 'files/unusable' })
})
