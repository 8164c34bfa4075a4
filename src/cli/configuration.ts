import { describeSettings } from '../config/describe-settings.ts';

process.stdout.write(describeSettings());
