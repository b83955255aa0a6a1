/** Before each test file: the tables of the core have the rows of all features, as in the program. */
import { addFeatures } from '../../src/features/table.ts'

addFeatures()
