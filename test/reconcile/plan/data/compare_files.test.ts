import { describe, expect, test } from 'vitest'
import { checkFileLoss, compareFiles } from '../../../../src/reconcile/plan/data/compare_files.ts'
import { treeOf, wantedOf } from '../../support/literals.ts'

const bucket = (files?: readonly object[]) =>
  treeOf([
    { id: 1, cls: 'file_bucket', key: 'a', members: { file_bucket: files ? { files } : {} } },
  ]).byId.get(1)
const form = (facts: object) =>
  treeOf([{ id: 1, cls: 'formbuilder_form', key: 'a', members: { formbuilder_form: facts } }]).byId.get(1)

const digests = new Map([
  ['/f/a.txt', { sha256: 'aa', sizeBytes: 1 }],
  ['/f/b.txt', { sha256: 'bb', sizeBytes: 2 }],
])
const a = { name: 'a.txt', path: '/f/a.txt' }
const b = { name: 'b.txt', path: '/f/b.txt' }
const upload = (file: typeof a, sha256: string, sizeBytes: number) => ({
  name: file.name,
  upload: { path: file.path, sha256, sizeBytes },
})
const wanted = wantedOf('a', { cls: 'file_bucket', files: [a, b] })

describe('compareFiles', () => {
  test('finds no change between equal digests, in any order', () => {
    const there = bucket([
      { name: 'b.txt', size: 2, digest: 'bb' },
      { name: 'a.txt', size: 1, digest: 'aa' },
    ])
    expect(compareFiles(wanted, there, digests)).toEqual({ edits: [], entries: undefined, unknown: [] })
  })

  test('sends added and changed files only, and lists removed ones', () => {
    const there = bucket([
      { name: 'a.txt', size: 1, digest: 'aa' },
      { name: 'b.txt', size: 2, digest: 'old' },
      { name: 'c.txt', size: 3, digest: 'cc' },
    ])
    const { edits, entries } = compareFiles(wanted, there, digests)
    expect(edits.map(({ pointer, from, to }) => [pointer, from, to])).toEqual([
      ['/files/b.txt', { size: 2, digest: 'old' }, { size: 2, digest: 'bb' }],
      ['/files/c.txt', { size: 3, digest: 'cc', mime_type: undefined }, undefined],
    ])
    expect(entries).toEqual([{ name: 'a.txt' }, upload(b, 'bb', 2)])
  })

  test('removes all files for an empty list, and none for an absent one', () => {
    const there = bucket([{ name: 'a.txt', size: 1, digest: 'aa' }])
    expect(compareFiles({ ...wanted, files: [] }, there, digests).entries).toEqual([])
    const { files: _, ...without } = wanted
    expect(compareFiles(without, there, digests).entries).toBeUndefined()
  })

  test('compares media types that the manifest sets', () => {
    const there = bucket([{ name: 'a.txt', size: 1, digest: 'aa', mime_type: 'text/plain' }])
    const typed = (mimeType: string) => ({ ...wanted, files: [{ ...a, mimeType }] })
    expect(compareFiles(typed('text/plain'), there, digests).edits).toEqual([])
    expect(compareFiles(typed('text/html'), there, digests).edits).toHaveLength(1)
  })

  test('compares sizes on servers that report no digests', () => {
    const there = (size: number) => bucket([{ name: 'a.txt', size }])
    const one = { ...wanted, files: [a] }
    expect(compareFiles(one, there(1), digests).edits).toEqual([])
    expect(compareFiles(one, there(9), digests).edits).toHaveLength(1)
  })

  test('does not change files that the account cannot read', () => {
    expect(compareFiles(wanted, bucket(), digests)).toEqual({
      edits: [],
      entries: undefined,
      unknown: ['/files'],
    })
  })

  test('compares the file of a form, which may have none', () => {
    const one = wantedOf('a', { cls: 'formbuilder_form', files: [a] })
    expect(compareFiles(one, form({ size: 1, digest: 'aa' }), digests).edits).toEqual([])
    expect(compareFiles(one, form({ size: null, digest: null }), digests).entries).toEqual([
      upload(a, 'aa', 1),
    ])
    expect(compareFiles(one, form({ size: 1, digest: 'bb' }), digests).edits).toHaveLength(1)
    expect(compareFiles(one, form({}), digests).unknown).toEqual(['/file'])
  })

  test('sends all files of a new resource', () => {
    expect(compareFiles(wanted, undefined, digests).entries).toEqual([upload(a, 'aa', 1), upload(b, 'bb', 2)])
  })
})

describe('checkFileLoss', () => {
  const there = treeOf([
    {
      id: 1,
      cls: 'file_bucket',
      key: 'a',
      members: {
        file_bucket: { files: ['a', 'b', 'c', 'd'].map((name) => ({ name: `${name}.txt`, size: 1 })) },
      },
    },
  ]).byId.get(1)
  const lossOf = (names: readonly string[]) => {
    const block = { ...wanted, files: names.map((name) => ({ name, path: '/f/a.txt' })) }
    return there === undefined ? [] : checkFileLoss(block, there, compareFiles(block, there, digests))
  }

  test('refuses to remove more than half of the files, with the counts', () => {
    expect(lossOf(['a.txt'])).toMatchObject([
      {
        code: 'plan/file-loss',
        message: '"a" would lose 3 of 4 files',
        hint: expect.stringContaining('--allow-loss a'),
      },
    ])
  })

  test('allows half of them, and files that are replaced by others of the same name', () => {
    expect(lossOf(['a.txt', 'b.txt'])).toEqual([])
    expect(lossOf(['a.txt', 'b.txt', 'c.txt', 'd.txt'])).toEqual([])
  })
})
