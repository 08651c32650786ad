import SimulatedWorld
import Testing

/// Every suite that uses the one simulated device of the process: they run one after another.
@Suite("On the simulated device", .serialized, .timeLimit(.minutes(5))) enum OnTheDevice {}
