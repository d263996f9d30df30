import { readMotion } from './document';

const motion = readMotion();
document.title = motion?.document.model.name ?? 'dalembert';
