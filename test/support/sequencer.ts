import { BaseSequencer, type TestSequencer, type TestSpecification, type Vitest } from 'vitest/node'

/** Files that run for a minute or more: they install, build and start complete programs. */
export const longFiles = ['test/e2e/stories.test.ts', 'test/e2e/readme.test.ts', 'test/package.test.ts']

/** Moves long-running files to the front and keeps the order of the others. */
export function putLongFirst<File extends { readonly moduleId: string }>(files: readonly File[]): File[] {
  const isLong = ({ moduleId }: File) => longFiles.some((path) => moduleId.endsWith(`/${path}`))
  return [...files.filter(isLong), ...files.filter((file) => !isLong(file))]
}

/** Vitest's default order with long-running files first, so that they do not run alone at the end. */
export class LongFirst implements TestSequencer {
  readonly #base: BaseSequencer

  constructor(vitest: Vitest) {
    this.#base = new BaseSequencer(vitest)
  }

  shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return this.#base.shard(files)
  }

  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return putLongFirst(await this.#base.sort(files))
  }
}
