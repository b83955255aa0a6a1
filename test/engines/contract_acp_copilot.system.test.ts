/** The contract of engines, over acp:copilot. In files of their own, so that the slow ones run side by side. */
import { contract } from './contract.ts'

contract('acp:copilot')
