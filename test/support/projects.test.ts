import { expect, test } from 'vitest'
import { projectOf, sortTestFiles } from './projects.ts'

test.each([
  ['test/geo/clip.test.ts', 'unit'],
  ['test/reconcile/plan/plan.test.ts', 'unit'],
  ['test/gdal/vector.test.ts', 'gdal'],
  ['test/database/copy.test.ts', 'database'],
  ['test/store/resource/reference.test.ts', 'database'],
  ['test/server/export/export.test.ts', 'server'],
  ['test/cli/apply.test.ts', 'server'],
  ['test/catalog/unreachable_services.test.ts', 'server'],
  ['test/web/webmap.test.ts', 'e2e'],
  ['test/e2e/stories.test.ts', 'e2e'],
  ['test/cli/completion.test.ts', 'e2e'],
  ['test/server/faults/disk_full.test.ts', 'faults'],
] as const)('%s belongs to project %s', (path, project) => {
  expect(projectOf(path)).toBe(project)
})

test('every test file belongs to one project', () => {
  const paths = Object.values(sortTestFiles()).flat()
  expect(new Set(paths).size).toBe(paths.length)
  expect(paths).toContain('test/support/projects.test.ts')
})
