import { startCopying } from './copy_address.ts'

startCopying()
