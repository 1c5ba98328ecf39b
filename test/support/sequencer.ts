import { BaseSequencer, type TestSequencer, type TestSpecification, type Vitest } from 'vitest/node'

/** Files that take a minute or more, however short they are: they install, build and start whole programs. */
export const longFiles = ['test/e2e/readme.test.ts', 'test/package.test.ts']

/** Puts the long ones first and leaves the order of the others. */
export function putLongFirst<File extends { readonly moduleId: string }>(files: readonly File[]): File[] {
  const isLong = ({ moduleId }: File) => longFiles.some((path) => moduleId.endsWith(`/${path}`))
  return [...files.filter(isLong), ...files.filter((file) => !isLong(file))]
}

/** Vitest's own order, but what takes long begins first, so that no worker is left alone with it at the end. */
export class LongFirst implements TestSequencer {
  readonly #own: BaseSequencer

  constructor(vitest: Vitest) {
    this.#own = new BaseSequencer(vitest)
  }

  shard(files: TestSpecification[]): Promise<TestSpecification[]> {
    return this.#own.shard(files)
  }

  async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return putLongFirst(await this.#own.sort(files))
  }
}
