import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openPrivateFolder, restrictFile } from '../../src/files/open_folder.ts'

const marks = ['files', 'temporary']
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-folder-'))
  await writeFile(join(folder, 'file'), '')
})
afterAll(() => rm(folder, { recursive: true }))

it('creates a folder and its parents, and leaves it empty', async () => {
  const path = join(folder, 'a', 'b')
  await openPrivateFolder(path, marks)
  await openPrivateFolder(path, marks)
  expect(await readdir(path)).toEqual([])
})

it.each([
  ['file', 'it is a file'],
  ['file/below', 'part of its path is a file'],
])('reports why %s cannot be a folder', async (name, reason) => {
  const path = join(folder, name)
  await expect(openPrivateFolder(path, marks)).rejects.toMatchObject({
    code: 'files/unusable',
    message: `Cannot use the folder ${path}: ${reason}.`,
  })
})

it('reports file systems that do not support folders', async () => {
  for (const path of ['/sys/landform', '/proc/landform', '/proc/landform/below'])
    await expect(openPrivateFolder(path, marks)).rejects.toMatchObject({ code: 'files/unusable' })
})

/** Creates a folder with a mode, regardless of the umask. */
async function makeFolder(name: string, mode: number, ...names: string[]): Promise<string> {
  const path = join(folder, name)
  await mkdir(path)
  for (const one of names) await mkdir(join(path, one))
  await chmod(path, mode)
  return path
}

it('creates a folder with access for its owner only, and its parents with default access', async () => {
  const before = process.umask(0)
  try {
    const path = join(folder, 'above', 'own')
    expect(await openPrivateFolder(path, marks)).toEqual({ isExposed: false })
    expect([await modeOf(join(folder, 'above')), await modeOf(path)]).toEqual(['777', '700'])
  } finally {
    process.umask(before)
  }
})

it.each([0o755, 0o750, 0o777, 0o701, 0o704])(
  'restricts a folder of mode %o that is empty or its own',
  async (mode) => {
    const exposedMode = mode.toString(8)
    for (const names of [[], marks, [...marks, 'database', 'notes.txt']]) {
      const path = await makeFolder(`open-${exposedMode}-${names.length}`, mode, ...names)
      expect(await openPrivateFolder(path, marks)).toEqual({ exposedMode, isExposed: false })
      expect(await modeOf(path)).toBe('700')
      expect(await openPrivateFolder(path, marks)).toEqual({ isExposed: false })
      expect((await readdir(path)).sort()).toEqual([...names].sort())
    }
  },
)

it('refuses to restrict an accessible folder that contains other files', async () => {
  for (const names of [['notes.txt'], ['files'], ['temporary', 'src']]) {
    const path = await makeFolder(`other-${names.join('-')}`, 0o755, ...names)
    await expect(openPrivateFolder(path, marks)).rejects.toMatchObject({
      code: 'files/exposed',
      message: `The folder ${path} is accessible to other users (mode 755) and contains other files.`,
      hint: 'Run chmod 700 on the directory as its owner, or choose another one with --data.',
    })
    expect([await modeOf(path), (await readdir(path)).sort()]).toEqual(['755', names.sort()])
    await chmod(path, 0o700)
    expect(await openPrivateFolder(path, marks)).toEqual({ isExposed: false })
  }
})

it('restricts a file, and does not create a missing one', async () => {
  const path = join(folder, 'secret')
  await restrictFile(path)
  await expect(stat(path)).rejects.toThrow('ENOENT')
  await writeFile(path, '')
  await chmod(path, 0o644)
  await restrictFile(path)
  expect(await modeOf(path)).toBe('600')
})
